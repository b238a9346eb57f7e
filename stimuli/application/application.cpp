#include "stimuli/application/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "stimuli/application/names.h"
#include "stimuli/application/program_reader.h"
#include "stimuli/synthetic/kernel_reader.h"
#include "stimuli/synthetic/synthetic_program.h"
#include "stimuli/synthetic/synthetic_restart.h"

namespace heddle {

namespace {

// All buffers together fit an arena of models/host/host_driver.h.
constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 39;
// The limits of models/host/command.h.
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 48;
constexpr std::uint64_t kSectorBytes = 32;
constexpr std::uint64_t kMostSectors = 0xffffffff;

// Returns whether some kernel has a measured time. Every kernel without code must have one.
bool is_measured(const config::Section& root) {
  if (!root.has("kernels")) return !root.has("model");
  const config::Section kernels = root.section("kernels");
  const std::vector<std::string> names = kernels.keys();
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           const config::Value kernel = kernels.value(name);
           return !kernel.is_section() || !kernel.section().has("code");
         });
}

ApiKernel read_shape(const std::string& name, const config::Section& section, std::size_t number,
                     RequestAmounts& amounts) {
  ApiKernel kernel;
  kernel.name = name;
  const std::int64_t least = amounts.are_of_steps() ? 0 : 1;
  kernel.blocks = amounts.whole(section.value("blocks"), {least, kMostBlocks},
                                [number](ApiProgram& program, RequestAmounts::Present&,
                                         std::uint64_t blocks) { program.kernels[number].blocks = blocks; });
  kernel.shape.threads = static_cast<std::uint32_t>(section.integer("threads", {1, 1 << 16}));
  kernel.shape.registers_per_thread = static_cast<std::uint32_t>(section.integer("registers", {0, 65536}, 0));
  const std::uint64_t shared = section.bytes("shared_memory", 0);
  if (shared > (1u << 30)) section.value("shared_memory").problem("more than 1 GiB");
  kernel.shape.shared_bytes = static_cast<std::uint32_t>(shared);
  const std::string bound = section.choice("bound", {"unknown", "compute", "memory"}, "unknown");
  if (bound != "unknown") kernel.bound = bound == "compute" ? KernelBound::kCompute : KernelBound::kMemory;
  kernel.is_cooperative = section.boolean("cooperative", false);
  return kernel;
}

std::uint32_t read_sectors(const config::Section& section, const char* key) {
  const std::uint64_t sectors =
      section.bytes(key, 0) / kSectorBytes + (section.bytes(key, 0) % kSectorBytes != 0);
  if (sectors > kMostSectors) section.value(key).problem("more than 128 GiB for a block");
  return static_cast<std::uint32_t>(std::min(sectors, kMostSectors));
}

// Returns what `bytes` of a kernel or of the application states, or `inherited` without such a key.
BlockBytes read_block_bytes(const config::Section& section, BlockBytes inherited) {
  if (!section.has("bytes")) return inherited;
  const config::Section bytes = section.section("bytes");
  return {read_sectors(bytes, "dram"), read_sectors(bytes, "l2")};
}

constexpr const char* kMeasuredSms = "measured_sms";
constexpr config::Range kSms{1, 1024};

// What the root of an application states for all kernels that do not state it themselves.
struct Inherited {
  BlockBytes bytes;
  std::uint32_t measured_sms = 0;  // 0: all
};

Inherited read_inherited(const config::Section& root) {
  const bool measured = is_measured(root);
  if (root.has("bytes") && !measured) root.value("bytes").problem("no kernel has a time");
  if (root.has(kMeasuredSms) && !measured) root.value(kMeasuredSms).problem("no kernel has a time");
  return {read_block_bytes(root, {}), static_cast<std::uint32_t>(root.integer(kMeasuredSms, kSms, 0))};
}

void read_kernel(const std::string& name, const config::Section& section, VirtualSpace& space,
                 const Inherited& inherited, Application& application) {
  const std::size_t number = application.program.kernels.size();
  ApiKernel kernel = read_shape(name, section, number, *application.amounts);
  std::shared_ptr<const SyntheticKernel> synthetic;
  const bool has_code = section.has("code");
  if (has_code) {
    synthetic = std::make_shared<const SyntheticKernel>(
        read_synthetic_kernel(section, kernel.blocks, kernel.shape, space));
    kernel.program = [synthetic](const CodeOptions& options) {
      return std::make_unique<SyntheticProgram>(lay_out(*synthetic, options.with_phases));
    };
    if (section.has("time")) section.value("time").problem("a kernel has either a 'time' or 'code'");
    if (section.has("bytes")) section.value("bytes").problem("what 'code' moves follows from its accesses");
    if (section.has(kMeasuredSms)) section.value(kMeasuredSms).problem("a kernel with 'code' has no time");
    if (application.amounts->depends(section.value("blocks")))
      section.value("blocks").problem("only those of a kernel with a 'time' may depend on parameters");
  }
  application.bytes.push_back(has_code ? BlockBytes{} : read_block_bytes(section, inherited.bytes));
  application.measured_sms.push_back(
      has_code ? 0 : static_cast<std::uint32_t>(section.integer(kMeasuredSms, kSms, inherited.measured_sms)));
  application.bounds.push_back(TimeBound::kBlocks);
  kernel.dram_sectors = application.bytes.back().dram;
  kernel.l2_sectors = application.bytes.back().l2;
  kernel.restartable = section.boolean("restartable", has_code && may_restart(*synthetic));
  const auto set_time = [number](ApiProgram&, RequestAmounts::Present& present, std::uint64_t ps) {
    present.kernel_time_ps[number] = ps;
  };
  application.kernel_time_ps.push_back(
      has_code ? 0 : application.amounts->time_ps(section.value("time"), 1, set_time));
  application.synthetic.push_back(std::move(synthetic));
  application.program.kernels.push_back(std::move(kernel));
}

// Gives the calls of a language model's step the counts of the typical request.
void set_typical_calls(const config::Section& root, Application& application) {
  try {
    application.model->set_calls(application.model->typical_step(), application.program);
  } catch (const std::runtime_error& error) {
    root.value("model").problem(error.what());
  }
}

// Returns of each buffer whether its size depends on parameters.
std::vector<bool> read_buffers(const config::Section& root, Application& application) {
  std::vector<bool> varies;
  if (!root.has("buffers")) return varies;
  ApiProgram& program = application.program;
  const config::Section buffers = root.section("buffers");
  std::uint64_t left = kMostBufferBytes;
  for (const std::string& name : config::names_in(buffers, "buffer")) {
    const config::Value value = buffers.value(name);
    varies.push_back(application.amounts->depends(value));
    const std::uint64_t bytes = application.amounts->bytes(
        value, 0,
        [at = program.buffers.size()](ApiProgram& of, RequestAmounts::Present&, std::uint64_t present) {
          of.buffers[at].bytes = present;
        });
    if (bytes > left) value.problem("the buffers come to more than 512 GiB");
    left -= std::min(left, bytes);
    program.buffers.push_back({name, bytes});
  }
  if (std::find(varies.begin(), varies.end(), true) == varies.end()) return varies;
  application.amounts->derive(root.value("buffers"), [](ApiProgram& of, const RequestAmounts::Present&) {
    std::uint64_t room = kMostBufferBytes;
    for (const ApiBuffer& buffer : of.buffers) {
      if (buffer.bytes > room) throw std::runtime_error("the buffers come to more than 512 GiB");
      room -= buffer.bytes;
    }
  });
  return varies;
}

}  // namespace

void set_untimed_kernels(Application& application) {
  const std::size_t kernels = application.program.kernels.size();
  application.kernel_time_ps.resize(kernels);
  application.measured_sms.resize(kernels);
  application.bytes.resize(kernels);
  application.bounds.resize(kernels, TimeBound::kBlocks);
  application.synthetic.resize(kernels);
  application.launches = launches_per_execution(application.program);
}

config::Document load_application_document(const std::string& file) {
  config::Document document = config::Document::load(file);
  document.include("model", "stimuli/language_models");
  return document;
}

Application read_application(const config::Section& root, const HostSpec& host,
                             const StatedRequests& stated) {
  Application application;
  application.requests = read_requests(root, stated);
  const auto& spec = application.requests.spec;
  application.amounts = std::make_shared<RequestAmounts>(
      application.requests.pass_parameters, spec ? &spec->arrivals : nullptr, spec && spec->batch);
  ApiProgram& program = application.program;
  program.name = read_name(root, "application");
  root.text("description", "");
  application.source = root.text("source", "");
  if (is_measured(root))
    application.measured_on = root.text("measured_on");
  else if (root.has("measured_on"))
    root.value("measured_on").problem("no kernel has a time that was measured");
  const std::vector<bool> varies = read_buffers(root, application);
  const bool has_model = root.has("model");
  const config::Section kernels = has_model ? root.optional_section("kernels") : root.section("kernels");
  VirtualSpace space(program.buffers);
  const Inherited inherited = read_inherited(root);
  for (const std::string& name : config::names_in(kernels, "kernel"))
    read_kernel(name, kernels.section(name), space, inherited, application);
  application.model = ModelKernels::read(root, *application.amounts, program);
  application.kernel_time_ps.resize(program.kernels.size());
  application.measured_sms.resize(program.kernels.size());
  application.bytes.resize(program.kernels.size());
  application.bounds.resize(program.kernels.size(), TimeBound::kBlocks);
  application.synthetic.resize(program.kernels.size());
  const bool has_code = std::any_of(application.synthetic.begin(), application.synthetic.end(),
                                    [](const auto& synthetic) { return synthetic != nullptr; });
  if (has_code && std::find(varies.begin(), varies.end(), true) != varies.end())
    root.value("buffers").problem("beside a kernel with 'code' no size may depend on parameters");
  read_program(root, host, varies, *application.amounts, application.model.get(), program);
  if (application.model) set_typical_calls(root, application);
  application.launches = launches_per_execution(program);
  application.amounts->set_kernel_times(application.kernel_time_ps);
  if (!application.amounts->is_empty())
    program.set_request = [amounts = application.amounts](const RequestValues& values, ApiProgram& of) {
      amounts->apply(values, of);
    };
  return application;
}

double mean_block_time_ps(const Application& application) {
  double launches = 0;
  double sum = 0;
  for (std::size_t i = 0; i < application.launches.size(); ++i) {
    const auto count = static_cast<double>(application.launches[i]);
    launches += count;
    sum += count * static_cast<double>(application.kernel_time_ps[i]) /
           static_cast<double>(application.program.kernels[i].blocks);
  }
  return launches == 0 ? 0 : sum / launches;
}

namespace {

bool has_tensor_unit(const ExecutionSpec& sm) {
  return sm.unit(UnitKind::kTensor).count > 0;
}
bool has_group_products(const ExecutionSpec& sm) {
  return sm.operations[static_cast<std::size_t>(Operation::kTensorGroup)].unit == UnitKind::kTensor;
}

}  // namespace

std::vector<Misfit> misfits(const Application& application, const GpuSpec& spec) {
  const ApiProgram& program = application.program;
  std::vector<Misfit> result;
  if (program.streams.size() > spec.queues.streams)
    result.push_back({"", fmt::format("{} streams; the platform has {} per context", program.streams.size(),
                                      spec.queues.streams)});
  if (program.events.size() > spec.queues.events)
    result.push_back({"", fmt::format("{} events; the platform has {} per context", program.events.size(),
                                      spec.queues.events)});
  std::uint32_t sms = 0;
  for (const std::vector<std::uint32_t>& set : program.sm_sets)
    for (const std::uint32_t sm : set) sms = std::max(sms, sm + 1);
  if (sms > spec.sm.count)
    result.push_back(
        {"", fmt::format("it launches kernels on SM {} alone or among others (a green context), "
                         "and '{}' has {} SMs; state sets of these, or capture the program for this platform",
                         sms - 1, spec.name, spec.sm.count)});
  const ExecutionSpec* const execution = spec.sm.execution();
  for (const ApiKernel& kernel : program.kernels) {
    const bool executed = program.make_script || kernel.program;
    const bool shaped = !program.make_script || kernel.shape.threads > 0;  // else each launch has its own
    const Residency residency = residency_of(kernel.shape, spec.sm.limits);
    if (shaped && residency.blocks == 0)
      result.push_back({kernel.name, fmt::format("a block does not fit an SM of '{}': {}", spec.name,
                                                 shortage_of(kernel.shape, spec.sm.limits))});
    if (executed && execution == nullptr)
      result.push_back({kernel.name, fmt::format("it has instructions, and the SMs of '{}' are timed; "
                                                 "sm.model=cycle makes them execute",
                                                 spec.name)});
    if (!kernel.matrix_product.empty() && execution != nullptr && !has_tensor_unit(*execution))
      result.push_back(
          {kernel.name, fmt::format("it has {}, and the SMs of '{}' have no tensor unit; choose a "
                                    "platform with units.tensor, or compile the kernel without it",
                                    kernel.matrix_product, spec.name)});
    if (!kernel.group_product.empty() && execution != nullptr && !has_group_products(*execution))
      result.push_back(
          {kernel.name,
           fmt::format(
               "it has {}, and the SMs of '{}' have no products of warpgroups; choose a platform with "
               "operations.tensor_group, or compile the kernel without it",
               kernel.group_product, spec.name)});
    if (!kernel.bulk_copy.empty() && execution != nullptr && execution->copy_unit.lines == 0)
      result.push_back(
          {kernel.name, fmt::format("it has {}, and the SMs of '{}' have no copy unit; choose a "
                                    "platform with bulk_copies, or compile the kernel without it",
                                    kernel.bulk_copy, spec.name)});
    if (!executed && execution != nullptr)
      result.push_back({kernel.name, fmt::format("it states only its time, and the SMs of '{}' execute "
                                                 "instructions; sm.model=timed makes them wait",
                                                 spec.name)});
  }
  return result;
}

void check_fits(const config::Section& root, const Application& application, const GpuSpec& spec) {
  for (const Misfit& misfit : misfits(application, spec)) {
    const auto& kernels = application.program.kernels;
    const auto at = std::find_if(kernels.begin(), kernels.end(),
                                 [&](const ApiKernel& kernel) { return kernel.name == misfit.kernel; });
    const bool of_model = application.model && at != kernels.end() &&
                          application.model->has(static_cast<std::size_t>(at - kernels.begin()));
    if (of_model)
      root.value("model").problem(fmt::format("{}: {}", misfit.kernel, misfit.message));
    else
      (misfit.kernel.empty() ? root : root.section("kernels").section(misfit.kernel)).problem(misfit.message);
  }
}

void set_model(const config::Section& root, Application& application, const GpuSpec& gpu) {
  set_model(root, application.model, *application.amounts, application.program, gpu);
}

std::string find_measured(const config::Section& root, const std::string& file) {
  if (!is_measured(root)) return "";
  const config::Value name = root.value("measured_on");
  if (!name.is_scalar()) return "";
  try {
    return find_data("platforms", name.text(), file);
  } catch (const config::Error& error) {
    throw config::Error({fmt::format("{}: {}: {}", name.place(), name.path(), error.what())});
  }
}

std::string read_name(const config::Section& root, const char* key) {
  std::string name = root.text(key);
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (root.value(key).is_scalar() && (name.empty() || name.size() > kMostNameBytes || name.front() == '.' ||
                                      !std::all_of(name.begin(), name.end(), plain)))
    root.value(key).problem(fmt::format(
        "a name is up to {} letters, digits, '-', '_' or '.', the last not first", kMostNameBytes));
  return name;
}

}  // namespace heddle
