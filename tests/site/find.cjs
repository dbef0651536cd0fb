// Reads queries as a JSON list from standard input, and writes the pages that the site in the given folder finds for
// each of them.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const site = process.argv[2];
for (const file of ['search-index.js', 'theme/search.js']) {
    vm.runInThisContext(fs.readFileSync(path.join(site, file), 'utf8'), { filename: file });
}
const { prepare, find } = globalThis.toolwritSearch;
const index = prepare(globalThis.toolwritIndex);
const queries = JSON.parse(fs.readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(queries.map(query => find(index, query).map(entry => entry.page))));
