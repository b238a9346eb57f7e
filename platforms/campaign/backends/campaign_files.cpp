#include "platforms/campaign/backends/campaign_files.h"

#include <filesystem>
#include <sstream>

#include "platforms/campaign/store/points.h"
#include "platforms/campaign/store/run_store.h"

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
  const std::string trust = campaign.trusted ? " --trust" : "";
  return "#!/bin/bash\n" + sbatch_lines(campaign.slurm) +
         "# Without arguments: all that this campaign lacks, here. With a submission and a chunk: that "
         "chunk,\n"
         "# counted on by the element of a Slurm array.\n"
         "if (($# == 0)); then\n"
         "  exec " +
         heddle + " batch resume " + path + " --backend local" + trust +
         "\n"
         "fi\n"
         "exec " +
         heddle + " batch task \"$1\" $(($2 + ${SLURM_ARRAY_TASK_ID:-0}))" + trust + "\n";
}

}  // namespace

void write_campaign(const Campaign& campaign, const RunPlan& plan, const std::string& directory) {
  std::ostringstream points;
  write_points(campaign, plan, points);
  replace_file(directory + "/campaign.yaml", campaign.yaml);
  replace_file(directory + "/points.json", points.str());
  const std::string task = directory + "/task";
  replace_file(task, task_script(campaign, directory));
  fs::permissions(task, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
}

}  // namespace heddle
