// The byte alphabet: a one-to-one map with the published anchors.
#include "text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace invar {
namespace {

TEST(ByteAlphabet, HasThePublishedCharacters) {
  EXPECT_TRUE(byte_character(' ') == 0x120);
  EXPECT_TRUE(byte_character('\n') == 0x10A);
  EXPECT_TRUE(byte_character('a') == U'a');
  EXPECT_TRUE(byte_character(0xAD) == 0x143);  // the soft hyphen, the last one moved
  EXPECT_TRUE(byte_character(0xFF) == 0xFF);
}

TEST(ByteAlphabet, EveryByteComesBack) {
  std::set<char32_t> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t character = byte_character(static_cast<uint8_t>(byte));
    characters.insert(character);
    EXPECT_EQ(character_byte(character), byte);
  }
  EXPECT_EQ(characters.size(), 256u);
  EXPECT_EQ(character_byte(U' '), -1);
  EXPECT_EQ(character_byte(0x144), -1);
  EXPECT_EQ(character_byte(0x10FFFF), -1);
}

TEST(ByteAlphabet, SpellsAndReads) {
  std::string spelled;
  append_byte_characters("a \xC3\xA9", spelled);
  EXPECT_EQ(spelled, "aĠÃ©");
  std::string bytes = "x";
  append_spelled_bytes(spelled, bytes);
  EXPECT_EQ(bytes, "xa \xC3\xA9");
}

TEST(ByteAlphabet, ATextOutsideTheAlphabetIsKept) {
  std::string bytes;
  append_spelled_bytes("Ġ▁", bytes);
  EXPECT_EQ(bytes, "Ġ▁");
}

}  // namespace
}  // namespace invar
