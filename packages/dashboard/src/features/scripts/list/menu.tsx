import { useState } from 'react'
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx'
import { addressOf, useOpen } from '../../../lib/address.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import { type ListedScript, WRITE } from '../queries.ts'
import { RemoveDialog, useToggle } from '../script-changes.tsx'

export function ScriptMenu({ script }: { script: ListedScript }) {
  const project = useProject()
  const open = useOpen()
  const toggle = useToggle(script)
  const [isAsked, setIsAsked] = useState(false)
  const address = addressOf.script(project.id, script.id)
  return (
    <>
      <Menu label={text.scripts.actionsOf(script.name)}>
        <MenuItem onClick={() => open(address)}>{text.scripts.runIt}</MenuItem>
        <MenuItem needs={WRITE} onClick={() => open(`${address}?tab=new`)}>
          {text.scripts.newVersion}
        </MenuItem>
        <MenuItem needs="users:issue" onClick={() => open(`${address}?tab=run`)}>
          {text.scripts.testRun}
        </MenuItem>
        <MenuItem needs={WRITE} onClick={() => toggle.mutate(!script.enabled)}>
          {script.enabled ? text.scripts.disable : text.scripts.enable}
        </MenuItem>
        <MenuItem needs={WRITE} isDanger onClick={() => setIsAsked(true)}>
          {text.remove}
        </MenuItem>
      </Menu>
      {isAsked && <RemoveDialog script={script} onClose={() => setIsAsked(false)} />}
    </>
  )
}
