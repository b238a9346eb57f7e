#pragma once
// Finds the form that matches the words of a statement.

#include <vector>

#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/text/cursor.h"

namespace heddle::ptx {

// Sets the opcode, the form and the fields of the modifiers. Throws Refused after it has reported every
// unknown modifier, or the first one that is not allowed in its position.
void match_form(Cursor& cursor, const Token& mnemonic, const std::vector<Token>& modifiers,
                Statement& statement);

}  // namespace heddle::ptx
