// Classes of characters that tokenizers ask for, by Unicode's general category and properties.
#pragma once

namespace invar {

bool is_whitespace(char32_t code);       // the White_Space property
bool is_numeric(char32_t code);          // categories Nd, Nl, No
bool is_punctuation(char32_t code);      // ASCII punctuation and symbols, and category P
bool is_mark(char32_t code);             // categories Mn, Mc, Me
bool is_nonspacing_mark(char32_t code);  // category Mn
bool is_control(char32_t code);          // categories Cc, Cf, Co, Cs
bool is_word(char32_t code);             // letters and other alphabetics, marks, Nd, Pc, joiners
bool is_cjk_ideograph(char32_t code);    // the ranges that BERT's normalizer sets apart

}  // namespace invar
