// Which servers requests may be sent to whose address a message has a say in.

/** Whether requests may go to the server of an address. */
export type HostTest = (url: URL) => boolean;

/**
 * A host passes that is written as it is, or below `*.`: `*.example.com` is `a.example.com` and `a.b.example.com`. With a
 * port it is that port alone, without one the usual one of the scheme.
 */
export function hostTest(allowed: readonly string[]): HostTest {
  const hosts = allowed.map((host) => host.toLowerCase());
  return ({ host }) =>
    hosts.some((each) => (each.startsWith("*.") ? host.endsWith(each.slice(1)) : host === each));
}
