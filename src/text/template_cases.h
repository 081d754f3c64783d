// Checks our rendering of chat templates against recorded results of the reference: what
// `invar template --cases FILE --templates DIR` runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace invar {

struct TemplateCaseCounts {
  int64_t passed = 0;
  int64_t failed = 0;
};

// `cases` is a JSON file: "now", "special" (tokens by name), "conversations" (name to messages,
// tools, add_generation_prompt and other variables; no others are defined) and "renders" (file of
// `templates` to conversation to {"text": ...} or {"error": ...}). A text must be equal byte for
// byte; where the reference raised an error, ours must too. Each failure is one line for `report`.
// Error kBadFile if `cases` is not of this form.
TemplateCaseCounts check_template_cases(const std::filesystem::path& cases,
                                        const std::filesystem::path& templates,
                                        const std::function<void(const std::string&)>& report);

}  // namespace invar
