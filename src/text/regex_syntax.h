// Rewrites a pattern written for Oniguruma, the dialect of published tokenizer files, into one that
// means the same to PCRE2 with UTF and UCP. Constructs whose meaning would silently change and that
// cannot be rewritten are refused by name. Syntax errors are left for PCRE2 to report.
#pragma once

#include <string>
#include <string_view>

namespace invar {

// `where` names the file and field in errors.
std::string pcre2_from_oniguruma(std::string_view pattern, std::string_view where);

}  // namespace invar
