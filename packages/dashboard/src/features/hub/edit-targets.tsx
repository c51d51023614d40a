/** Edits the places and games of a script. */
import { AreaField } from '../../components/fields/area-field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useChange } from '../../queries/api.ts'
import { type HubScript, useEditTargets } from './queries.ts'

const t = text.hub
const MAX_TARGETS = 200
/** The path may start with a language, such as `/de/games/…`. */
const GAME_URL = /^(?:https:\/\/)?(?:www\.)?roblox\.com\/(?:[a-z-]+\/)?games\/(\d+)/i

export function EditTargets({ script, onClose }: { script: HubScript; onClose: () => void }) {
  const edit = useEditTargets()
  const showToast = useToast()
  const kept = useKept('hub-targets', script.id)
  const [places, setPlaces] = useKeptState(kept, 'places', script.places.join('\n'))
  const [games, setGames] = useKeptState(kept, 'games', script.games.join('\n'))
  const save = useChange(async () => {
    await edit(script, { places: placesIn(places), games: idsIn(games) })
    kept.forget(onClose)
    showToast({ title: t.saved })
  })
  const errors = useFormErrors(save.error)
  const submit = () => {
    const isOver = placesIn(places).length + idsIn(games).length + (script.isDefault ? 1 : 0) > MAX_TARGETS
    const over = isOver ? t.tooMany(MAX_TARGETS) : undefined
    if (errors.check({ places: wrongIn(placesIn(places)) ?? over, games: wrongIn(idsIn(games)) }))
      save.mutate(undefined)
  }
  return (
    <FormDialog
      kept={kept}
      title={t.editTitle(script.name)}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <AreaField
        label={t.places}
        hint={t.placesHint}
        error={errors.of('places')}
        value={places}
        onChange={setPlaces}
      />
      <AreaField
        label={t.games}
        hint={t.gamesHint}
        error={errors.of('games')}
        value={games}
        onChange={setGames}
      />
    </FormDialog>
  )
}

function idsIn(typed: string): string[] {
  return [...new Set(typed.split(/[\s,]+/).filter((id) => id !== ''))]
}

/** Accepts a game's URL instead of its place ID. */
function placesIn(typed: string): string[] {
  return [...new Set(idsIn(typed).map((each) => GAME_URL.exec(each)?.[1] ?? each))]
}

function wrongIn(ids: readonly string[]): string | undefined {
  const wrong = ids.find((id) => !/^[1-9]\d{0,19}$/.test(id))
  return wrong === undefined ? undefined : t.noId(wrong)
}
