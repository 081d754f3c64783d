// Chat templates as a server uses them: variables, errors and text parts.
#include "text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace invar {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSmolTemplate =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% endif %}";

std::string render(std::string_view source, const ChatTemplate::Request& request) {
  return ChatTemplate({.text = source, .name = "chat", .special_tokens = {{"bos_token", "<s>"}}})
      .render(request);
}

ChatTemplate::Request one_message(Json content) {
  ChatTemplate::Request request;
  request.messages = Json::array({{{"role", "user"}, {"content", std::move(content)}}});
  return request;
}

TEST(ChatTemplate, WritesAConversation) {
  EXPECT_EQ(render(kSmolTemplate, one_message("Hi")),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
            "Face<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

}  // namespace
}  // namespace invar
