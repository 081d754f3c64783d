// A model's tokenizer and chat template, wherever its folder keeps them.
#include "text/model_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "formats/expect_error.h"
#include "text/shared_files.h"
#include "text/tokenizer_builder.h"

namespace invar {
namespace {

class ModelTextFolder : public testing::Test {
 protected:
  void SetUp() override { write("tokenizer.json", test::json_of({})); }
  void write(const char* name, const std::string& content) {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
  }
  std::string rendered() {
    const ModelText text = load_model_text(folder_.path());
    return text.chat_template ? text.chat_template->render({}) : "no template";
  }
  const test::TemporaryFolder folder_;
};

TEST_F(ModelTextFolder, MayHaveNoTemplate) {
  EXPECT_EQ(rendered(), "no template");
  write("tokenizer_config.json", "{}");
  EXPECT_EQ(rendered(), "no template");
  write("tokenizer_config.json", R"({"chat_template": null})");
  EXPECT_EQ(rendered(), "no template");
}

TEST_F(ModelTextFolder, HasOneInItsConfigOrInAFile) {
  write("tokenizer_config.json",
        R"({"bos_token": "a", "chat_template": "config {{ bos_token }}"})");
  EXPECT_EQ(rendered(), "config a");
  write("tokenizer_config.json",
        R"({"chat_template": [{"name": "x", "template": "no"},
                              {"name": "default", "template": "named"}]})");
  EXPECT_EQ(rendered(), "named");
  write("chat_template.jinja", "file");
  EXPECT_EQ(rendered(), "file");
}

TEST_F(ModelTextFolder, NamesWhatIsNoTemplate) {
  const std::string config = (folder_.path() / "tokenizer_config.json").string();
  for (const char* wrong : {"3", "[]", R"([{"name": "x", "template": "a"}])",
                            R"([{"name": "default", "template": 3}])"}) {
    write("tokenizer_config.json", std::string(R"({"chat_template": )") + wrong + "}");
    expect_error([&] { rendered(); }, Code::kBadFile,
                 config +
                     ": key 'chat_template': expected a string or a list with a template "
                     "named 'default', found " +
                     (*wrong == '3' ? "number" : "array"));
  }
  write("tokenizer_config.json", R"({"chat_template": "{% x %}"})");
  expect_error([&] { rendered(); }, Code::kBadFile, config + ": chat_template:1: unknown tag 'x'");
}

}  // namespace
}  // namespace invar
