// The form of the settings.
import { kSettingFields } from "./store.js";

// `onChange(key, value)` gets what a person has set.
export function showSettings(form, settings, onChange) {
  form.replaceChildren(...kSettingFields.map((field) => {
    const label = document.createElement("label");
    label.className = field.type === "text" ? "wide" : "";
    label.append(field.label);
    const input = document.createElement("input");
    Object.assign(input, { type: field.type, name: field.key, value: settings[field.key] ?? "" });
    if (field.type === "number") {
      Object.assign(input, {
        min: field.min, max: field.max, step: field.step, placeholder: "the server's default",
      });
    }
    input.addEventListener("change", () => {
      if (input.reportValidity()) {
        const number = input.value === "" ? null : Number(input.value);
        onChange(field.key, field.type === "number" ? number : input.value);
      }
    });
    label.append(input);
    return label;
  }));
}
