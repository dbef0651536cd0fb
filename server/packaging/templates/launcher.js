#!/usr/bin/env node
// Starts the program that npm has installed for this system, as if it had been started itself.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "@PROGRAM@.exe" : "@PROGRAM@";

function fail(message) {
  console.error(`@PROGRAM@: ${message}`);
  process.exit(1);
}

function locate() {
  try {
    return require.resolve(`@PLATFORMS@${platform}/bin/${file}`);
  } catch {
    fail(
      `the package @PLATFORMS@${platform} is not installed; expected npm to install it as an optional dependency. ` +
        "Install again without --omit=optional; for other systems see @REPOSITORY@/releases",
    );
  }
}

const program = spawn(locate(), process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => program.kill(signal));
}
program.on("error", (error) => {
  // The loader of another C library is missing, too, if the program itself is there.
  const libc = error.code === "ENOENT" ? "; it needs glibc, and @REPOSITORY@/releases has a static one" : "";
  fail(`${error.message}${libc}`);
});
program.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  for (const handled of signals) {
    process.removeAllListeners(handled);
  }
  process.kill(process.pid, signal);
});
