// Hashes keys and passwords in the format of the runtime.

/** Returns the value of `key_hash` for a key. */
export async function hashKey(key: string): Promise<string> {
  const runtime = await import("../../runtime/keys/key-hash.ts");
  return runtime.hashKey(key);
}

/** Returns the value of `basic_auth_data.password` for a password. */
export async function hashPassword(password: string): Promise<string> {
  const runtime = await import("../../runtime/keys/argon.ts");
  return runtime.hashPassword(password);
}
