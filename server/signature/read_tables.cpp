#include "signature/read_tables.hpp"

#include "signature/json_lines.hpp"

namespace firstfault {
namespace {

constexpr std::string_view kLayers[] = {"data",      "environment", "hardware", "network", "none",
                                        "scheduler", "software",    "storage",  "unknown"};

}  // namespace

std::map<std::string, CauseInfo, std::less<>> read_taxonomy(const nlohmann::json& json,
                                                            std::vector<Problem>* problems) {
  std::map<std::string, CauseInfo, std::less<>> causes;
  const JsonField file(json, "", problems);
  if (!file.object({"$schema", "version", "causes"}, {"causes"})) return causes;
  const auto list = file.at("causes");
  if (!list) return causes;
  for (const JsonField& entry : list->elements(1)) {
    if (!entry.object({"id", "layer", "means"}, {"id", "layer", "means"})) continue;
    CauseInfo info;
    info.id = entry.text_at("id");
    if (entry.has("layer")) info.layer = std::string(kLayers[entry.choice_at("layer", kLayers)]);
    info.means = entry.text_at("means");
    const std::string id = info.id;
    if (!causes.emplace(id, std::move(info)).second)
      entry.problem("the cause \"" + id + "\" stands here twice; remove one");
  }
  return causes;
}

std::map<std::string, Frequency, std::less<>> read_calibration(const nlohmann::json& json,
                                                               std::vector<Problem>* problems) {
  std::map<std::string, Frequency, std::less<>> frequencies;
  const JsonField file(json, "", problems);
  if (!file.object({"$schema", "how", "patterns"}, {"patterns"})) return frequencies;
  file.text_at("how");
  const auto patterns = file.at("patterns");
  if (!patterns || !patterns->is_object()) {
    if (patterns) patterns->problem("must be an object of {\"right\", \"total\"} by pattern name");
    return frequencies;
  }
  for (const auto& [name, value] : patterns->value().items()) {
    const JsonField entry(value, patterns->pointer() + "/" + pointer_step(name), problems);
    if (!entry.object({"right", "total"}, {"right", "total"})) continue;
    Frequency frequency;
    if (const auto right = entry.at("right")) frequency.right = right->integer(0);
    if (const auto total = entry.at("total")) frequency.total = total->integer(1);
    if (frequency.right > frequency.total)
      entry.problem("more right answers than answers; correct the counts");
    frequencies.emplace(name, frequency);
  }
  return frequencies;
}

}  // namespace firstfault
