// Keys of the locked parts of a version (client protocol, Locks). The service key of an execution is derived
// from that of the version, the key of each lock from the service key, and the key stream that encrypts the
// lock's contents from the lock's key. A lease is the key of a lock, encrypted for one run and one heartbeat.
import { createHmac, createSecretKey } from 'node:crypto'
import { KEY_BYTES, open, seal, TAG_BYTES } from './wire.ts'

/** Derives the 32-byte service key of an execution from that of its version. */
export function executionKey(serviceKey: Uint8Array, exec: string): Buffer {
  return createHmac('sha256', createSecretKey(serviceKey)).update(`lp1 execution${exec}`).digest()
}

/**
 * Derives the 32-byte key of a lock from the service key of an execution, or from that of the version when
 * the build encrypts its text.
 */
export function lockKey(serviceKey: Uint8Array, lock: number): Buffer {
  return createHmac('sha256', createSecretKey(serviceKey)).update(`lp1 lock${lock}`).digest()
}

/**
 * Returns the first `size` bytes of a lock's key stream: ChaCha20 from block 1 with an all-zero nonce,
 * which equals the encryption of a text of zeros, without the tag.
 */
export function lockPad(key: Uint8Array, size: number): Buffer {
  return seal(key, 0, NOTHING, Buffer.alloc(size)).subarray(0, size)
}

/** Returns a function that provides all key streams of a service key, as required by the obfuscator. */
export function deriveKeyStreams(serviceKey: Uint8Array): (lock: number, size: number) => Buffer {
  return (lock, size) => lockPad(lockKey(serviceKey, lock), size)
}

/**
 * Inputs of the key that encrypts the leases of one heartbeat: `leaseKey` of the session keys, and the `r` of
 * the heartbeat's reply.
 */
export interface LeaseSeal {
  readonly exec: string
  readonly leaseKey: Uint8Array
  readonly r: Uint8Array
}

export function sealLease({ exec, leaseKey, r }: LeaseSeal, lock: number, key: Uint8Array): Buffer {
  return seal(beatLeaseKey(leaseKey, r), lock, leaseAad(exec), key)
}

/** Returns the key of the lock, or undefined when the box was encrypted for something else. */
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
