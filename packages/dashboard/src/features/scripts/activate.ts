import { v1ScriptVersionsActivate } from '@scriptward/sdk'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Script } from './queries.ts'

/** Activates another version, and offers an undo. */
export function useActivate(script: Script) {
  const call = useCall()
  const showToast = useToast()
  const set = (n: number) => v1ScriptVersionsActivate({ ...call, path: { script_id: script.id, n } })
  const { mutateAsync: back } = useChange(set)
  return useChange(async (n: number) => {
    const before = script.version
    await set(n)
    showToast({ title: text.scripts.activated(n), undo: () => back(before) })
  })
}
