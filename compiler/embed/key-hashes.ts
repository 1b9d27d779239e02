// Hashes of keys and passwords, as the runtime looks them up.

/** What `key_hash` holds for a key. */
export async function hashKey(key: string): Promise<string> {
  const runtime = await import("../../runtime/keys/key-hash.ts");
  return runtime.hashKey(key);
}

/** What `basic_auth_data.password` holds for a password. */
export async function hashPassword(password: string): Promise<string> {
  const runtime = await import("../../runtime/keys/argon.ts");
  return runtime.hashPassword(password);
}
