// Aborts signals with a reason that keeps nothing alive.

/** An error keeps the objects whose methods are in its stack. One for all signals keeps what loads this module. */
const reason = new DOMException("This operation was aborted", "AbortError");

/**
 * As `controller.abort()`, which would create an error each time. A signal that outlives its caller keeps it with that error: the
 * signals of a replaced part kept the deployment that replaced it, which kept the next parts, without an end.
 */
export function abort(controller: AbortController): void {
  controller.abort(reason);
}
