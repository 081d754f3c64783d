"""Makes a folder with a model that a server can chat with in a moment: the golden llama of this
tree, with a tokenizer of one token a byte and a small chat template."""
import json
import pathlib

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "llama"
NEVER_IN_UTF8 = (0xC0, 0xC1, 0xFF)  # their places are taken by the special tokens


def byte_characters():
    """The printable character that byte-level vocabularies write for each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        if byte not in characters:
            characters[byte] = chr(256 + len(characters) - len(printable))
    return characters


def tokenizer():
    special = ["<pad>", "<s>", "</s>"]
    spelled = byte_characters()
    bytes_in_use = [byte for byte in range(256) if byte not in NEVER_IN_UTF8]
    names = special + [spelled[byte] for byte in bytes_in_use]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
                  "use_regex": False}
    return {
        "version": "1.0",
        "added_tokens": [{"id": i, "content": text, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True}
                         for i, text in enumerate(special)],
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": {name: i for i, name in enumerate(names)},
                  "merges": []},
    }


TEMPLATE = ("{% for message in messages %}{{ bos_token }}{{ message.role }}: "
            "{{ message.content }}\n{% endfor %}assistant:")


def make(folder):
    """Fills the folder, whose name becomes the model's."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for name in ("config.json", "generation_config.json", "model.safetensors"):
        (folder / name).symlink_to(GOLDEN / name)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}))
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return folder
