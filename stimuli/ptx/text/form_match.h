#pragma once
// Finds the form that an instruction's words have, or says why there is none.

#include <vector>

#include "stimuli/ptx/text/cursor.h"
#include "stimuli/ptx/text/forms.h"

namespace heddle::ptx {

// Fills opcode, form and the fields that modifiers tell. Throws Refused after telling every unknown modifier,
// or the first that does not fit where it stands.
void match_form(Cursor& cursor, const Token& mnemonic, const std::vector<Token>& modifiers,
                Statement& statement);

}  // namespace heddle::ptx
