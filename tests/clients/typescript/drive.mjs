// What both generations of the TypeScript client do alike: list the tools, make the calls, report.
// Arguments: what to run, or the URL of a server that runs; the protocol version; the calls. Program and
// calls as JSON.

const [target, version, calls] = process.argv.slice(2);

export const protocolVersion = version;
export const me = { name: "toolwrit-tests", version: "1.0.0" };
export const capabilities = { elicitation: {} };

const questions = [];

/** The user, who agrees to everything. */
export function agree({ params }) {
  questions.push(params.message);
  return { action: "accept", content: {} };
}

/** The way to the server, of the client's own transports. */
export function transport(Stdio, Http) {
  if (target.startsWith("http")) {
    return new Http(new URL(target));
  }
  const [command, ...args] = JSON.parse(target);
  return new Stdio({ command, args, stderr: "inherit" });
}

/** Uses a connected client and prints one JSON object for the test to judge. */
export async function drive(client, negotiated) {
  // From here on the client holds every structured result to the output schema of its tool.
  const { tools } = await client.listTools();
  const results = [];
  for (const call of JSON.parse(calls)) {
    results.push(await client.callTool(call));
  }
  const server = client.getServerVersion();
  const report = { protocolVersion: negotiated, server, tools, results, questions };
  // It reports the end of its own stream as an error.
  client.onerror = undefined;
  await client.close();
  console.log(JSON.stringify(report));
}

/** A message that the client cannot make sense of ends the script. */
export function refuse(error) {
  throw error;
}
