/** Splits Markdown into tokens. */
export function lexer(text: string): any[];
