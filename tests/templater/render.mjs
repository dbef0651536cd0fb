// Reads `{now, templates: [{template, answers}]}` from standard input, and writes what Templater's engine and
// moment.js make of each template, as a JSON array: `{text}`, or `{refused: reason}`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import moment from "moment";
import init, { ParserConfig, Renderer } from "@silentvoid13/rusty_engine/rusty_engine.js";

const { now, templates } = JSON.parse(readFileSync(0, "utf8"));
moment.now = () => now;
// Obsidian provides it to templates.
globalThis.moment = moment;

const path = createRequire(import.meta.url).resolve("@silentvoid13/rusty_engine/rusty_engine_bg.wasm");
await init(readFileSync(path));
const renderer = new Renderer(new ParserConfig("<%", "%>", "\0", "*", "-", "_", "tR"));

// The functions of Templater for a note that does not exist yet, as its documentation describes them.
function functions(answers) {
  const shifted = (offset) =>
    typeof offset === "number" ? moment.duration(offset, "days") : moment.duration(offset);
  const choose = (texts, items) => {
    const labels = typeof texts === "function" ? items.map(texts) : texts;
    return items[labels.indexOf(answers.choice)];
  };
  return {
    date: {
      now: (format = "YYYY-MM-DD", offset, reference, form) =>
        moment(reference, form).add(shifted(offset)).format(format),
      tomorrow: (format = "YYYY-MM-DD") => moment().add(1, "days").format(format),
      yesterday: (format = "YYYY-MM-DD") => moment().add(-1, "days").format(format),
      weekday: (format = "YYYY-MM-DD", weekday, reference, form) =>
        moment(reference, form).weekday(weekday).format(format),
    },
    file: {
      title: "Lantern",
      content: "",
      tags: [],
      folder: (absolute = false) => (absolute ? "Work/Projects" : "Projects"),
      path: () => "Work/Projects/Lantern.md",
      creation_date: (format = "YYYY-MM-DD HH:mm") => moment().format(format),
      last_modified_date: (format = "YYYY-MM-DD HH:mm") => moment().format(format),
    },
    frontmatter: {},
    system: {
      prompt: async (question, fallback) => answers[question] ?? fallback,
      suggester: async (texts, items) => choose(texts, items),
    },
  };
}

async function render({ template, answers }) {
  try {
    return { text: await renderer.render_content(template, functions(answers)) };
  } catch (error) {
    return { refused: String(error) };
  }
}

const rendered = [];
for (const template of templates) {
  rendered.push(await render(template));
}
process.stdout.write(JSON.stringify(rendered));
