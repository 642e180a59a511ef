// The two tables of a signature folder: taxonomy.json (which causes there are) and calibration.json (how
// often an evidence pattern's answer was right).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "signature/json_field.hpp"
#include "signature/library.hpp"

namespace firstfault {

std::map<std::string, CauseInfo, std::less<>> read_taxonomy(const nlohmann::json& json,
                                                            std::vector<Problem>* problems);

std::map<std::string, Frequency, std::less<>> read_calibration(const nlohmann::json& json,
                                                               std::vector<Problem>* problems);

}  // namespace firstfault
