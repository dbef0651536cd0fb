/** A tool as in `tools/list`. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  /** The contexts and categories of the tool, over `GET /tools`. */
  contexts?: string[];
  categories?: string[];
  /** Over MCP: the tool that runs the operation, with the arguments `{ tool: name, args }`. */
  call?: string;
}

/** A context of a message. */
export interface DetectedContext {
  name: string;
  /** From 0 to 1. */
  confidence: number;
  /** The words of the message that show the context. */
  matched: string[];
}

/** Which tools to fetch. All that are given must hold. */
export interface Criteria {
  /** Names of contexts, separated by commas; or a message, in which contexts are detected. */
  context?: string;
  /** The name of a category. */
  category?: string;
  /** What the tools should do. */
  query?: string;
  /** The contexts of earlier messages, with their confidence. */
  previous?: Record<string, number>;
}

export interface Selection {
  tools: Tool[];
  contexts: DetectedContext[];
  /** How many tools there are to select from. */
  originalCount: number;
  returnedCount: number;
  /** Why there are no tools: `no_context_detected` or `nothing_matches`. */
  reason?: string;
}

export interface Usage {
  since: Date;
  requests: number;
  /** Requests that were answered from the cache. */
  hits: number;
  originalCount: number;
  returnedCount: number;
  /** By how many percent the fetched tools are fewer than all tools. */
  reductionPercent: number;
}

export interface Options {
  /** An access token of the server. */
  token?: string;
  /** The user on whose behalf the program asks. */
  userId?: string;
  /** How long answers are kept, in milliseconds. Five minutes unless given. */
  ttl?: number;
  fetch?: typeof globalThis.fetch;
}

/** What the client needs of a connected client of the official SDK. */
export interface McpClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** A server that refused a request, or gave an answer of another shape. */
export class ToolClientError extends Error {}

export class DynamicToolClient {
  /** `source` is the address of a server, or a connected MCP client. */
  constructor(source: string | URL | McpClient, options?: Options);
  /** The tools of contexts, of a category, or for a query. Without criteria, none. */
  getTools(criteria?: Criteria): Promise<Tool[]>;
  /** The tools that a message needs; none if it belongs to no context. */
  getToolsFromMessage(message: string, previous?: Record<string, number>): Promise<Tool[]>;
  /** The names of the contexts of a message. */
  extractContextFromMessage(message: string): Promise<string[]>;
  /** The tools, their contexts and the counts. */
  select(criteria: Criteria): Promise<Selection>;
  /** How many tools were fetched, compared with all tools for each request. */
  get usage(): Usage;
  /** Forgets all answers. */
  clearCache(): void;
}

/** The names of the contexts of a message, as the server detects them. */
export function extractContextFromMessage(
  message: string,
  client: DynamicToolClient | string | URL | McpClient,
): Promise<string[]>;
