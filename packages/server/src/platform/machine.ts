/** Disk space and memory of this machine, in bytes. */
import { statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'

export type Room = { readonly free: number; readonly total: number }

/**
 * Space on the disk that contains the folder. Space that is reserved for the system administrator doesn't
 * count as free.
 */
export async function diskOf(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** A container may be limited to less memory than its machine has. */
export function memoryOfMachine(): Room {
  const limit = process.constrainedMemory()
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return { free: Math.min(process.availableMemory(), total), total }
}
