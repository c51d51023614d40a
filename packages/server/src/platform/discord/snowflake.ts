/** IDs of Discord. Source: "Snowflakes" in Discord's documentation. */

/**
 * IDs have 64 bits, of which the first is never set. Discord rejects an entire request if it contains any
 * other ID.
 */
const MAX_ID = 2n ** 63n - 1n

/**
 * Whether this can be the ID of an account or a role. IDs of other services are often longer or not numeric.
 */
export function isSnowflake(id: string): boolean {
  return /^\d{5,19}$/.test(id) && BigInt(id) <= MAX_ID
}
