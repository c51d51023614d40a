/** Assigns an unsupported game to a script: the entire game or a single place. */
import { useState } from 'react'
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useChange } from '../../queries/api.ts'
import { type HubScript, useEditTargets, type Wanted } from './queries.ts'

const t = text.hub

type Props = {
  readonly wanted: Wanted
  readonly scripts: readonly HubScript[]
  readonly onClose: () => void
}

export function AddToScript({ wanted: { place_id, game_id }, scripts, onClose }: Props) {
  const edit = useEditTargets()
  const showToast = useToast()
  const [chosen, setChosen] = useState(scripts[0]?.id ?? '')
  const [isPlace, setIsPlace] = useState(game_id === '0')
  const save = useChange(async () => {
    const script = scripts.find(({ id }) => id === chosen)
    if (script === undefined) return
    const { places, games } = script
    await edit(script, isPlace ? { places: [...places, place_id] } : { games: [...games, game_id] })
    onClose()
    showToast({ title: t.added(script.name) })
  })
  const errors = useFormErrors(save.error)
  return (
    <FormDialog
      title={t.addTo}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => save.mutate(undefined)}
    >
      <SelectField
        label={t.script}
        value={chosen}
        options={scripts.map(({ id, name }) => [id, name] as const)}
        onChange={(event) => setChosen(event.target.value)}
      />
      <ChoiceGroup legend={t.addWhat} error={errors.of('places') ?? errors.of('games')}>
        {game_id !== '0' && (
          <Check
            radio="target"
            label={t.addGame(game_id)}
            hint={t.addGameHint}
            checked={!isPlace}
            onChange={() => setIsPlace(false)}
          />
        )}
        {place_id !== '0' && (
          <Check
            radio="target"
            label={t.addPlace(place_id)}
            checked={isPlace}
            onChange={() => setIsPlace(true)}
          />
        )}
      </ChoiceGroup>
    </FormDialog>
  )
}
