// Checks of the tree as a whole: test partners, sizes of committed files, links and paths in the
// documents, presets.
#pragma once

#include "tidy/source.h"

namespace invar::tidy {

// Each src/X.cc has tests/X_test.cc, or a line "src/X.cc TEST reason" (or "src/folder/ TEST
// reason") in the list, TEST being the file below tests/ that covers it, or "-" for none. A line
// that no file needs is a finding.
Findings check_partners(const std::vector<Source>& sources, const std::string& list_path,
                        std::string_view list);

// No committed file over 256 KiB outside tests/golden/.
Findings check_blobs(const std::vector<Tree::Blob>& blobs);

// Links in README.md and docs/ lead to files that exist, and so do paths set in `code` that begin
// with a folder of the project.
Findings check_documents(const Tree& tree);

// Every configure preset that is not hidden has a build preset and builds in build/NAME.
Findings check_presets(const std::string& path, std::string_view text);

}  // namespace invar::tidy
