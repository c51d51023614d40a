// Keys of what is locked in a version (client protocol, Locks): a service key for each execution follows from the version's,
// a key for each lock from that, and from this the pad that its texts are encrypted with. A lease is the key of a lock,
// sealed for one run and one beat.
import { createHmac, createSecretKey } from 'node:crypto'
import { KEY_BYTES, open, seal, TAG_BYTES } from './wire.ts'

/** Derives the 32-byte service key of an execution from that of its version. */
export function executionKey(serviceKey: Uint8Array, exec: string): Buffer {
  return createHmac('sha256', createSecretKey(serviceKey)).update(`lp1 execution${exec}`).digest()
}

/** 32 bytes, from the 32 bytes of an execution, or of the version for the text that was built. */
export function lockKey(serviceKey: Uint8Array, lock: number): Buffer {
  return createHmac('sha256', createSecretKey(serviceKey)).update(`lp1 lock${lock}`).digest()
}

/** The first `size` bytes of a lock's pad: ChaCha20 from block 1 with a nonce of zeros, as a sealed text without its tag. */
export function lockPad(key: Uint8Array, size: number): Buffer {
  return seal(key, 0, NOTHING, Buffer.alloc(size)).subarray(0, size)
}

/** Returns a function for all key streams of a service key, as required by the obfuscator. */
export function padsOf(serviceKey: Uint8Array): (lock: number, size: number) => Buffer {
  return (lock, size) => lockPad(lockKey(serviceKey, lock), size)
}

/** What leases of one beat are sealed under: `leaseKey` of the session keys, and the `r` of the beat's reply. */
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
