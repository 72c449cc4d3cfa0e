/** Search box in the sidebar: results by type as you type; arrow keys move, Enter opens. */

import { Popover, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useId, useRef, useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";
import { useCommand } from "@/ui/commands";

import { placeOf, TYPES } from "./address";
import { TopResults, type Choice } from "./TopResults";
import { LONGEST, useTopResults, type Found } from "./queries";
import styles from "./Search.module.css";

const PAUSE = 150;

export function SearchBox() {
  const go = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const [typed, setTyped] = useState("");
  const [focused, setFocused] = useState(false);
  const [at, setAt] = useState(-1);
  const [asked] = useDebouncedValue(typed.trim(), PAUSE);
  const found = useTopResults(asked);
  const opened = focused && typed.trim() !== "";
  // Arrow keys follow the visual order: type by type.
  const things = asked === "" ? [] : TYPES.flatMap((type) => found.data?.filter((thing) => thing.type === type) ?? []);
  const choices: Choice[] = [...things.map((thing) => ({ id: `${list}-${thing.id}`, thing })), { id: `${list}-all` }];

  useCommand("search", () => {
    if (!input.current?.checkVisibility()) return false;
    input.current.focus();
    input.current.select();
    return true;
  });

  function choose(thing: Found | undefined): void {
    const place = thing && placeOf(thing);
    input.current?.blur();
    setTyped("");
    void (thing && place ? go({ to: place, params: { id: thing.id } }) : go({ to: "/search", search: { q: typed.trim() } }));
  }

  function hear(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      if (typed === "") input.current?.blur();
      setTyped("");
    } else if (step && opened) setAt((at + step + choices.length + (at < 0 && step < 0 ? 1 : 0)) % choices.length);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing && typed.trim() !== "") choose(choices[at]?.thing);
    else return;
    event.preventDefault();
  }

  return (
    <Popover opened={opened} position="bottom-start" width={420} shadow="md" trapFocus={false} returnFocus={false} withRoles={false}>
      <Popover.Target>
        <TextInput
          ref={input}
          className={styles.box}
          type="search"
          role="combobox"
          aria-expanded={opened}
          aria-controls={opened ? list : undefined}
          aria-activedescendant={opened ? choices[at]?.id : undefined}
          aria-autocomplete="list"
          aria-label={t("search.open")}
          placeholder={t("search.box")}
          autoComplete="off"
          maxLength={LONGEST}
          leftSection={<IconSearch aria-hidden size={15} />}
          rightSection={!focused && <kbd>/</kbd>}
          value={typed}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          onKeyDown={hear}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(-1);
          }}
        />
      </Popover.Target>
      <Popover.Dropdown className={styles.dropdown}>
        <TopResults list={list} query={typed.trim()} choices={choices} chosen={choices[at]} found={found} fresh={asked === typed.trim()} onChoose={choose} />
      </Popover.Dropdown>
    </Popover>
  );
}
