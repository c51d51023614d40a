// Keys for the locked parts of a version (client protocol, Locks). Each execution's service key is derived
// from the version's service key, each lock's key from the execution's service key, and the key stream that
// encrypts the lock's contents from the lock's key. A lease is a lock's key, encrypted for one run and one
// heartbeat.
import { createHmac, createSecretKey } from 'node:crypto'
import { KEY_BYTES, open, seal, TAG_BYTES } from './wire.ts'

/** Derives an execution's 32-byte service key from that of its version. */
export function executionKey(serviceKey: Uint8Array, exec: string): Buffer {
  return createHmac('sha256', createSecretKey(serviceKey)).update(`lp1 execution${exec}`).digest()
}

/**
 * Derives a lock's 32-byte key from an execution's service key. During the build, which encrypts the lock's
 * contents, the version's service key is used instead.
 */
export function lockKey(serviceKey: Uint8Array, lock: number): Buffer {
  return createHmac('sha256', createSecretKey(serviceKey)).update(`lp1 lock${lock}`).digest()
}

/**
 * Returns the first `size` bytes of a lock's key stream: ChaCha20 from block 1 with an all-zero nonce. This
 * equals the encryption of zeros, without the tag.
 */
export function lockPad(key: Uint8Array, size: number): Buffer {
  return seal(key, 0, NOTHING, Buffer.alloc(size)).subarray(0, size)
}

/** Returns a function that derives any key stream from a service key, as the obfuscator requires. */
export function deriveKeyStreams(serviceKey: Uint8Array): (lock: number, size: number) => Buffer {
  return (lock, size) => lockPad(lockKey(serviceKey, lock), size)
}

/**
 * Inputs for the key that encrypts one heartbeat's leases: `leaseKey` from the session keys, and `r` from the
 * heartbeat's reply.
 */
export interface LeaseSeal {
  readonly exec: string
  readonly leaseKey: Uint8Array
  readonly r: Uint8Array
}

export function sealLease({ exec, leaseKey, r }: LeaseSeal, lock: number, key: Uint8Array): Buffer {
  return seal(beatLeaseKey(leaseKey, r), lock, leaseAad(exec), key)
}

/** Returns the lock's key, or undefined if the box was encrypted for another purpose. */
export function openLease(
  { exec, leaseKey, r }: LeaseSeal,
  lock: number,
  box: Uint8Array,
): Buffer | undefined {
  if (box.length !== KEY_BYTES + TAG_BYTES) return undefined
  return open(beatLeaseKey(leaseKey, r), lock, leaseAad(exec), box)
}

const NOTHING = Buffer.alloc(0)

function beatLeaseKey(leaseKey: Uint8Array, r: Uint8Array): Buffer {
  return createHmac('sha256', createSecretKey(leaseKey)).update(r).digest()
}

function leaseAad(exec: string): Buffer {
  return Buffer.from(`lp1 lease${exec}`)
}
