/** How a script is run with a key, for each kind of host, and the loader as a file to keep. */
import { v1ScriptsLoaderFile } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall } from '../api.ts'
import { saveText } from '../save-text.ts'
import { isHere, keyLine, type Runtime, snippetsOf } from '../snippets.ts'
import { text } from '../text/text.ts'
import { Complaint } from './complaint.tsx'
import { GuardedButton } from './guarded.tsx'
import { SelectField } from './select-field.tsx'
import { Snippet } from './snippet.tsx'
import { Tabs } from './tabs.tsx'

type Given = {
  readonly script: { readonly id: string; readonly name: string }
  readonly userKey: string
}

export function Loaders({ script, userKey }: Given) {
  const t = text.loaders
  const code = snippetsOf(script.id, userKey)
  const tabs = (['executor', 'lua', 'luajit'] as const).map((id) => ({
    id,
    title: t[id],
    content: <Snippet code={code[id]} label={t[id]} />,
  }))
  const file = { id: 'file', title: t.file, content: <LoaderFile script={script} userKey={userKey} /> }
  return (
    <>
      {isHere() && <p className="notice warn">{t.onlyHere(location.origin)}</p>}
      <Tabs label={t.label} tabs={[...tabs, file]} />
    </>
  )
}

const RUNTIMES: readonly (readonly [Runtime, string])[] = [
  ['any', text.loaders.anyRuntime],
  ['luau', 'Luau'],
  ['jit', 'LuaJIT'],
  ['51', 'Lua 5.1'],
  ['54', 'Lua 5.4'],
]

function LoaderFile({ script, userKey }: Given) {
  const t = text.loaders
  const call = useCall()
  const [runtime, setRuntime] = useState<Runtime>('any')
  const save = useMutation({
    mutationFn: async () => {
      const query = runtime === 'any' ? {} : { rt: runtime }
      const { data } = await v1ScriptsLoaderFile({ ...call, path: { script_id: script.id }, query })
      saveText(`${script.name}.loader.lua`, data)
    },
  })
  return (
    <>
      <p className="hint">{t.fileHint}</p>
      <Snippet code={keyLine(userKey)} label={t.file} />
      <div className="row">
        <SelectField
          label={t.runtime}
          value={runtime}
          options={RUNTIMES}
          onChange={(event) => setRuntime(event.target.value as Runtime)}
        />
        <GuardedButton needs="scripts:read" disabled={save.isPending} onClick={() => save.mutate()}>
          {t.saveFile}
        </GuardedButton>
      </div>
      <Complaint of={save.error} />
    </>
  )
}
