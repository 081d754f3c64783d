// Chat templates as a server uses them: variables, errors and text parts.
#include "text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "text/stopped.h"

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

TEST(ChatTemplate, MessagesCanNameSomethingElseThanTheFile) {
  ChatTemplate::Request request = one_message("Hi");
  request.label = "messages: the template";
  try {
    static_cast<void>(render("\n{{ raise_exception('no') }}", request));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "messages: the template:2: no");
  }
}

TEST(ChatTemplate, PassesTheVariablesOfTheReference) {
  const std::string source =
      "{{ bos_token }} {{ messages|length }} {{ tools is none }} {{ documents is none }} "
      "{{ add_generation_prompt }} {{ enable_thinking|default('?') }} {{ strftime_now('%Y') }}";
  ChatTemplate::Request request = one_message("Hi");
  request.now = {.year = 2026, .month = 3, .day = 4};
  EXPECT_EQ(render(source, request), "<s> 1 True True True ? 2026");
  request.tools = Json::parse(R"([{"type": "function"}])");
  request.add_generation_prompt = false;
  request.variables = {{"enable_thinking", false}, {"documents", Json::array()}};
  EXPECT_EQ(render(source, request), "<s> 1 False False False False 2026");
  request.variables = {{"add_generation_prompt", "mine"}, {"bos_token", "B"}};
  EXPECT_EQ(render(source, request), "B 1 False True mine ? 2026");
}

TEST(ChatTemplate, TakesTextPartsWhereATemplateWantsAString) {
  const Json parts =
      Json::parse(R"([{"type": "text", "text": "Hi "}, {"type": "text", "text": "there"}])");
  ChatTemplate::Request request;
  for (const std::string_view role : {"system", "user"}) {
    request.messages.push_back({{"role", role}, {"content", parts}});
  }
  EXPECT_EQ(render(kSmolTemplate, request),
            "<|im_start|>system\nHi there<|im_end|>\n<|im_start|>user\nHi there<|im_end|>\n"
            "<|im_start|>assistant\n");
  request.parts_as_text = false;
  EXPECT_THROW((void)render(kSmolTemplate, request), Error);
}

TEST(ChatTemplate, SaysWhatTheTemplateRaised) {
  try {
    render("\n{{ raise_exception('roles must alternate') }}", one_message("Hi"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "chat:2: roles must alternate");
    EXPECT_EQ(error.code(), Code::kBadArgument);
  }
}

TEST(ChatTemplate, RefusesBadInputs) {
  EXPECT_THROW((void)render("{% if %}", one_message("Hi")), Error);
  ChatTemplate::Request request;
  request.messages = "Hi";
  EXPECT_THROW((void)render("x", request), Error);
  request = one_message("Hi");
  request.variables = Json::array();
  EXPECT_THROW((void)render("x", request), Error);
}

TEST(ChatTemplate, StopsWhenNobodyWaits) {
  const ChatTemplate endless({.text = "{% for a in range(90000) %}{% for b in range(90000) %}"
                                      "{% endfor %}{% endfor %}",
                              .name = "t",
                              .special_tokens = {}});
  ChatTemplate::Request request;
  request.stop = test::stopped_token();
  test::expect_stopped([&] { endless.render(request); });
}

}  // namespace
}  // namespace invar
