#include "platforms/campaign/plan/paper_codec.h"

#include "platforms/run/result/json_fields.h"

namespace heddle {

// FieldWriter finds fields() by its arguments' namespace, which an anonymous namespace is not.
static void where_fields(FieldWriter& io, const std::vector<Assignment>& where) {
  io.object("where", [&](FieldWriter& inner) {
    for (const Assignment& assignment : where) inner.field(assignment.key.c_str(), assignment.value);
  });
}

static void fields(FieldWriter& io, const PaperArm& arm) {
  io.field("name", arm.name);
  where_fields(io, arm.where);
  io.field("reason", arm.reason);
}

static void fields(FieldWriter& io, const PaperNumber& number) {
  io.field("row", number.row);
  io.field("column", number.column);
  io.field("over", number.over);
  io.field("value", number.value);
  io.field("words", number.words);
}

static void fields(FieldWriter& io, const PaperFigure& figure) {
  io.field("figure", figure.figure);
  io.field("title", figure.title);
  io.field("finding", figure.finding);
  io.field("campaigns", figure.campaigns);
  io.field("value", figure.value);
  io.field("statistic", figure.statistic);
  io.field("across", figure.across);
  io.field("mean", figure.mean);
  io.field("rows", figure.rows);
  io.field("columns", figure.columns);
  io.field("over", figure.over);
  io.field("ratio", figure.ratio);
  io.field("speed_up", figure.speed_up);
  io.object("best", [&](FieldWriter& inner) {
    if (!figure.best) return;
    inner.field("column", figure.best->column);
    inner.field("of", figure.best->of);
  });
  io.object("normalise", [&](FieldWriter& inner) {
    if (!figure.normalise) return;
    inner.field("per", figure.normalise->per);
    inner.field("to", figure.normalise->to);
    inner.field("column", figure.normalise->column);
  });
  io.field("mean_row", figure.mean_row);
  io.field("plot", figure.plot);
  io.field("against", figure.against);
  where_fields(io, figure.where);
  io.field("reason", figure.reason);
  io.field("theirs", figure.theirs);
}

std::string paper_text(const Paper& paper, const std::string& command) {
  FieldWriter io;
  io.field("paper", paper.name);
  io.field("title", paper.title);
  io.field("source", paper.source);
  io.field("arms", paper.arms);
  io.field("figures", paper.figures);
  io.field("window", paper.window == 0 ? std::nullopt : std::optional(paper.window));
  io.field("left_out", paper.left_out);
  io.field("command", command);
  return json_file(io.json());
}

}  // namespace heddle
