/** Edits a version's release notes. */
import { v1ScriptVersionsEdit } from '@scriptward/sdk'
import { AreaField } from '../../components/fields/area-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Script, Version } from './queries.ts'

type Props = { readonly script: Script; readonly version: Version; readonly onClose: () => void }

export function NotesDialog({ script, version, onClose }: Props) {
  const t = text.scripts
  const call = useCall()
  const kept = useKept('release-notes', `${script.id} ${version.version}`)
  const [notes, setNotes] = useKeptState(kept, 'notes', version.notes ?? '')
  const [isPublic, setIsPublic] = useKeptState(kept, 'public', version.notes_public)
  const change = useChange(async () => {
    const path = { script_id: script.id, n: version.version }
    await v1ScriptVersionsEdit({ ...call, path, body: { notes, notes_public: isPublic } })
    kept.forget(onClose)
  })
  return (
    <FormDialog
      kept={kept}
      title={t.notesTitle(version.version)}
      submit={text.save}
      isPending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => change.mutate(undefined)}
    >
      <AreaField label={t.notesLabel} hint={t.notesHint} value={notes} onChange={setNotes} />
      <label className="check">
        <input
          type="checkbox"
          checked={isPublic}
          onChange={(event) => setIsPublic(event.currentTarget.checked)}
        />
        <span>
          {t.notesPublic}
          <span className="hint">{t.notesPublicHint}</span>
        </span>
      </label>
    </FormDialog>
  )
}
