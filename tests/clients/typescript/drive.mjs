// What both generations of the TypeScript client do alike: list the tools, make the calls, report.
// Arguments: the server's program, the vault, the surface, the protocol version, the calls as JSON.

const [program, vault, surface, version, calls] = process.argv.slice(2);

export const protocolVersion = version;
export const me = { name: "toolwrit-tests", version: "1.0.0" };
export const server = {
  command: program,
  args: ["serve", "--vault", vault, "--surface", surface],
  stderr: "inherit",
};

/** Uses a connected client and prints one JSON object for the test to judge. */
export async function drive(client, negotiated) {
  // From here on the client holds every structured result to the output schema of its tool.
  const { tools } = await client.listTools();
  const results = [];
  for (const call of JSON.parse(calls)) {
    results.push(await client.callTool(call));
  }
  const report = { protocolVersion: negotiated, server: client.getServerVersion(), tools, results };
  await client.close();
  console.log(JSON.stringify(report));
}

/** A message that the client cannot make sense of ends the script. */
export function refuse(error) {
  throw error;
}
