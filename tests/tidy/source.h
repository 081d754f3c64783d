// Reads the project's files and splits C++ into code, comments and tokens for the tidy checks.
// Not a parser of C++: it knows comments, literals, words and symbols, which is enough for rules
// about names, includes and sizes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace invar::tidy {

// One breach of a rule. `line` counts from 1; 0 means the file as a whole.
struct Finding {
  std::string path;
  int line = 0;
  std::string message;
};
using Findings = std::vector<Finding>;

// "path:line: message" lines, for a failed expectation.
std::string render(const Findings& findings);

struct Token {
  enum class Kind { kWord, kNumber, kLiteral, kSymbol };
  Kind kind;
  std::string text;  // a literal's text is empty; "::" and "->" are one symbol each
  int line;
  bool in_directive;  // part of a preprocessor line
};

struct Include {
  std::string path;
  int line;
  bool quoted;  // "path" rather than <path>
};

// One file. The last four members are filled for C++ and CUDA files only.
struct Source {
  std::string path;  // from the project's root, with slashes
  std::string text;
  std::string code;      // `text` with comments and the insides of literals made blank
  std::string comments;  // `text` with everything but comments made blank
  std::vector<Token> tokens;
  std::vector<Include> includes;

  bool is_cpp() const;
  bool is_header() const;
  bool is_below(std::string_view folder) const;  // folder like "src/core/"
};

// All of a tree's tracked and new (not ignored) text files, and the sizes of all tracked files.
struct Tree {
  struct Blob {
    std::string path;
    int64_t size_bytes;
  };
  std::string root;
  std::vector<Source> sources;
  std::vector<Blob> blobs;

  const Source* find(std::string_view path) const;
};

Source parse_source(std::string path, std::string text);
// `root`: the project's folder. Lists files by git; throws std::runtime_error if it cannot.
Tree read_tree(const std::string& root);

std::vector<std::string_view> split_lines(std::string_view text);
// Words of a line separated by white space.
std::vector<std::string> split_words(std::string_view line);
// "KvBlock_count2" -> kv, block, count2: the words a name is made of, in lower case.
std::vector<std::string> name_words(std::string_view name);

// Lines of a list file (exceptions.txt and its like), without comments and empty lines.
struct ListLine {
  std::vector<std::string> words;
  int line;
};
std::vector<ListLine> parse_list(std::string_view text);

}  // namespace invar::tidy
