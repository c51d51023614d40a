/** A dialog that names a saved view. */
import { text } from '../../messages/text.ts'
import { isSame, type SavedView, useChangeViews } from '../../queries/views.ts'
import { Field } from '../fields/field.tsx'
import { useFormErrors } from '../fields/form-errors.ts'
import { useKept, useKeptState } from '../fields/use-kept.ts'
import { FormDialog } from '../overlays/dialog.tsx'

type Props = {
  readonly view: SavedView
  readonly isNew: boolean
  readonly taken: readonly string[]
  readonly onClose: () => void
}

const MAX_NAME = 60

export function NameDialog({ view, isNew, taken, onClose }: Props) {
  const t = text.frame.views
  const kept = useKept('view', `${view.list} ${isNew ? '' : view.name}`)
  const [typed, setTyped] = useKeptState(kept, 'name', view.name)
  const change = useChangeViews(() => kept.forget())
  const errors = useFormErrors(change.error)
  const name = typed.trim()
  const save = () => {
    const isWrong = name === '' || [...name].length > MAX_NAME
    const isTaken = name !== view.name && taken.includes(name)
    if (!errors.check({ name: isWrong ? t.nameWrong : isTaken ? t.nameTaken : undefined })) return
    const named = { ...view, name }
    const put = (views: readonly SavedView[]) =>
      isNew ? [...views, named] : views.map((each) => (isSame(each, view) ? named : each))
    change.mutate(put, { onSuccess: onClose })
  }
  return (
    <FormDialog
      kept={kept}
      title={isNew ? t.save : t.rename}
      submit={text.save}
      isPending={change.isPending}
      error={errors.rest}
      onSubmit={save}
      onClose={onClose}
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        autoComplete="off"
        value={typed}
        error={errors.of('name')}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
