/**
 * Text as PostgreSQL can hold it. Programs print what they like, and an outcome that cannot be stored would
 * be reported again for ever: NUL and lone surrogates become the replacement character.
 */
const unstorable = /\0|[\uD800-\uDFFF]/gu;

export function storableText(text: string): string {
  return text.replace(unstorable, "\uFFFD");
}

export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "string" ? storableText(item) : item));
}
