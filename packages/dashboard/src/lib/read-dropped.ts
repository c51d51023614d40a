import type { FoundFile } from './read-files.ts'

/** Returns the dropped entries, which are available only during the event. `filesIn` can read them later. */
export function entriesOf({ items }: DataTransfer): FileSystemEntry[] {
  return [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
}

/** If a single folder was dropped, paths are relative to that folder. Folders such as `.git` are skipped. */
export async function filesIn(entries: readonly FileSystemEntry[]): Promise<FoundFile[]> {
  const [only] = entries
  const isFolder = entries.length === 1 && only !== undefined && isDirectory(only)
  return below(isFolder ? await childrenOf(only) : entries, '')
}

async function below(entries: readonly FileSystemEntry[], folder: string): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  for (const entry of entries) {
    const path = folder + entry.name
    if (isFile(entry)) found.push({ path, file: await fileOf(entry) })
    else if (isDirectory(entry) && !entry.name.startsWith('.'))
      found.push(...(await below(await childrenOf(entry), `${path}/`)))
  }
  return found
}

/** Reads until no entries are left, because browsers return entries in batches. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const next = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
  const found: FileSystemEntry[] = []
  for (let some = await next(); some.length > 0; some = await next()) found.push(...some)
  return found
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
