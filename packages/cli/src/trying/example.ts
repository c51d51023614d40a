/** Protects an example script on a server and runs it as a customer would. */

import { randomUUID } from 'node:crypto'
import { Scriptward } from '@scriptward/sdk'
import { type Line, runInLuau } from '../source/running.ts'

export const EXAMPLE = `print('Hello, ' .. ward.note .. '!')
print('Nobody can read this script on its way to you,')
print('and your key works on this device only.')
`

export type Published = { readonly script: string; readonly key: string }

export async function publishExample({ url, token }: { url: string; token: string }): Promise<Published> {
  const scriptward = new Scriptward({ url, token })
  const { project_id } = await scriptward.projects.create({ name: 'My game' })
  const { script_id } = await scriptward.scripts.create(project_id, { name: 'Hello', script: EXAMPLE })
  const { user_key } = await scriptward.users.create(project_id, { note: 'first customer' })
  return { script: script_id, key: user_key }
}

/** Returns the lines that a customer would see. */
export async function runExample(
  url: string,
  { script, key }: Published,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = []
  const loader = `/client/v1/loader/${script}?rt=luau`
  const task = { name: 'loader', key, device: `try-${randomUUID()}`, url, loader }
  const onLine = ({ text }: Line) => void lines.push(text)
  const { error } = await runInLuau(task, { signal, onLine })
  return error === null ? lines : [...lines, error]
}
