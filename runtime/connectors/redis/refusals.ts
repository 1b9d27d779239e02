/** Whether an error of the server, or one that it caused, begins with `word`: the name of what Redis refused it for. */
export function isRefusal(error: unknown, word: string): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith(word) || isRefusal(error.cause, word);
}
