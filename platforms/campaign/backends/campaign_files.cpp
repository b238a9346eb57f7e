#include "platforms/campaign/backends/campaign_files.h"

#include <filesystem>
#include <sstream>

#include "platforms/campaign/store/points.h"
#include "platforms/run/output.h"
#include "platforms/run/plugins.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Returns the script that both backends use.
std::string task_script(const Campaign& campaign, const std::string& directory) {
  const std::string heddle = quoted(fs::read_symlink("/proc/self/exe"));
  const std::string path = quoted(fs::absolute(directory).lexically_normal());
  std::string options = campaign.trusted ? " --trust" : "";
  for (const Plugin& plugin : loaded_plugins()) options += " --plugin " + quoted(plugin.file);
  return "#!/bin/bash\n" + sbatch_lines(campaign.slurm) +
         "# Without arguments: all that this campaign lacks, here. With a submission and a chunk: that "
         "chunk,\n"
         "# counted on by the element of a Slurm array.\n"
         "if (($# == 0)); then\n"
         "  exec " +
         heddle + " batch resume " + path + " --backend local" + options +
         "\n"
         "fi\n"
         "exec " +
         heddle + " batch task \"$1\" $(($2 + ${SLURM_ARRAY_TASK_ID:-0}))" + options + "\n";
}

}  // namespace

void write_campaign(const Campaign& campaign, const RunPlan& plan, const std::string& directory) {
  std::ostringstream points;
  write_points(campaign, plan, points);
  // Without points.json, campaign.yaml may be an input of this command, which is never replaced.
  const bool is_kept = fs::exists(directory + "/points.json");
  ResultFile file(directory + "/campaign.yaml", is_kept ? Existing::kOwned : Existing::kReplaced, "--dir");
  write_result(directory + "/points.json", Existing::kOwned, "", points.str());
  write_file(file.draft(), campaign.yaml);
  file.finish();
  const std::string task = directory + "/task";
  write_result(task, Existing::kOwned, "", task_script(campaign, directory));
  fs::permissions(task, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
}

}  // namespace heddle
