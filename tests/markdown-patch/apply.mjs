// Applies each `{note, patch}` of the JSON array on standard input, and writes what comes of each as
// a JSON array: `{"note": ..}`, or `{"refused": reason}`.
import { readFileSync } from "node:fs";
import markdownPatch from "markdown-patch";

const { applyPatch } = markdownPatch;

function apply({ note, patch }) {
  try {
    return { note: applyPatch(note, patch) };
  } catch (error) {
    return { refused: error.reason ?? String(error) };
  }
}

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(apply)));
