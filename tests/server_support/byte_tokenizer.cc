// See byte_tokenizer.h.
#include "server_support/byte_tokenizer.h"

#include <nlohmann/json.hpp>

#include "text/byte_alphabet.h"
#include "text/utf8.h"

namespace invar {
namespace {

constexpr int32_t kFirstByteId = 3;
constexpr int kNoUtf8[] = {0xC0, 0xC1, 0xFF};

bool is_left_out(int byte) {
  return byte == kNoUtf8[0] || byte == kNoUtf8[1] || byte == kNoUtf8[2];
}

nlohmann::json added_token(int32_t id, const char* content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

}  // namespace

int32_t byte_id(char byte) {
  int32_t id = kFirstByteId;
  for (int each = 0; each < static_cast<unsigned char>(byte); ++each) {
    id += is_left_out(each) ? 0 : 1;
  }
  return id;
}

std::string byte_tokenizer_json() {
  nlohmann::json vocabulary = {{"<pad>", 0}, {"<s>", kBosId}, {"</s>", kEosId}};
  for (int byte = 0; byte < 256; ++byte) {
    if (!is_left_out(byte)) {
      std::string spelled;
      append_utf8(byte_character(static_cast<uint8_t>(byte)), spelled);
      vocabulary[spelled] = byte_id(static_cast<char>(byte));
    }
  }
  nlohmann::json added = nlohmann::json::array();
  added.push_back(added_token(0, "<pad>"));
  added.push_back(added_token(kBosId, "<s>"));
  added.push_back(added_token(kEosId, "</s>"));
  const nlohmann::json byte_level = {{"type", "ByteLevel"},
                                     {"add_prefix_space", false},
                                     {"trim_offsets", false},
                                     {"use_regex", false}};
  const nlohmann::json file = {
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", nullptr},
      {"pre_tokenizer", byte_level},
      {"post_processor", nullptr},
      {"decoder", byte_level},
      {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}}}};
  return file.dump();
}

std::string byte_tokenizer_config() {
  return R"({"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"})";
}

std::string byte_chat_template() {
  return "{% for message in messages %}"
         "{% if message.content == 'raise' %}{{ raise_exception('as it was asked') }}{% endif %}"
         "{{ bos_token }}{{ message.role }}: {{ message.content }}\n"
         "{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}";
}

ModelText make_byte_text() {
  const std::string tokenizer = byte_tokenizer_json();
  const std::string config = byte_tokenizer_config();
  return {
      .tokenizer = tokenizer_from_json_text(
          {.label = "bytes", .tokenizer = tokenizer, .config = config, .generation_config = {}}),
      .chat_template = ChatTemplate({.text = byte_chat_template(),
                                     .name = "bytes",
                                     .special_tokens = {{"bos_token", "<s>"}}})};
}

}  // namespace invar
