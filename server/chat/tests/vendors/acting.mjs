// Reads a JSON array of Markdown texts, and writes for each what of it markdown-it takes for more than text.
import { readFileSync } from "node:fs";
import MarkdownIt from "markdown-it";

const reader = new MarkdownIt({ html: true, linkify: true });

function acting(tokens) {
  return tokens.flatMap((token) => {
    switch (token.type) {
      case "image":
        return ["image " + token.attrGet("src")];
      case "html_block":
        return ["block " + token.content];
      case "html_inline":
        return ["html " + token.content];
      case "code_inline":
        return ["code " + token.content];
      case "fence":
        return ["fence " + token.info.trim()];
      default:
        return token.children ? acting(token.children) : [];
    }
  });
}

const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => acting(reader.parse(text, {})))));
