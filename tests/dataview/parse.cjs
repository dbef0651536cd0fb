// Parses the texts of the object `{queries, fields}` on standard input, and writes an object with the same
// keys: whether each query is valid, and the value of each inline field.
const { readFileSync } = require("node:fs");
const Module = require("node:module");

// The library imports Obsidian for its types only.
const load = Module._load;
Module._load = (request, ...rest) => (request === "obsidian" ? {} : load(request, ...rest));
const { EXPRESSION, QUERY_LANGUAGE } = require("obsidian-dataview");

// A value as the tests write it.
function json(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(json);
  if (value.toHuman) {
    const units = Object.entries(value.shiftToAll().normalize().toObject());
    return value.constructor.fromObject(Object.fromEntries(units.filter(([, n]) => n !== 0))).toHuman();
  }
  if (value.toFormat) {
    const isDay = value.hour === 0 && value.minute === 0 && value.second === 0 && value.millisecond === 0;
    return value.toFormat(isDay ? "yyyy-MM-dd" : "yyyy-MM-dd'T'HH:mm:ssZZ");
  }
  return value.markdown();
}

function field(text) {
  if (text.trim() === "") return null;
  const parsed = EXPRESSION.inlineField.parse(text);
  return parsed.status ? json(parsed.value) : text;
}

const { queries, fields } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(
  JSON.stringify({
    queries: queries.map((text) => QUERY_LANGUAGE.query.parse(text).status),
    fields: fields.map(field),
  }),
);
