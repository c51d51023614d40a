/** Discord's IDs. Source: "Snowflakes" in Discord's documentation. */

/**
 * IDs have 64 bits, and the highest bit is never set. Discord rejects an entire request if any ID in it is
 * out of range.
 */
const MAX_ID = 2n ** 63n - 1n

/**
 * Returns whether this can be the ID of an account or a role. Other services' IDs are often longer or not
 * numeric.
 */
export function isSnowflake(id: string): boolean {
  return /^\d{5,19}$/.test(id) && BigInt(id) <= MAX_ID
}
