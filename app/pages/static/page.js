// What every page has: moments in the browser's zone, parts that look again by themselves.

export function localise(root) {
  for (const at of root.querySelectorAll("time[datetime]")) {
    at.textContent = new Date(at.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}

const shown = new WeakMap(); // what each part was, as the service sent it

// Get a page and put its parts with these ids in the place of ours.
export async function refresh(address, ids, options = {}) {
  const answer = await fetch(address, options);
  if (answer.redirected) { location.reload(); return; } // the session has ended
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ids) {
    const [now, next] = [document.getElementById(id), page.getElementById(id)];
    if (!now || !next || shown.get(now) === next.innerHTML) continue;
    shown.set(now, next.innerHTML);
    localise(next);
    if (now.innerHTML !== next.innerHTML) now.replaceChildren(...next.childNodes);
  }
}

const parts = [...document.querySelectorAll("[data-poll]")].map((part) => part.id);
async function look() {
  try {
    if (!document.hidden) await refresh(location.href, parts, { headers: { "X-Poll": "1" } });
  } catch { /* the service is away for a moment: look again */ }
  setTimeout(look, 1000);
}
localise(document);
if (parts.length) setTimeout(look, 1000);

// Forms that show what they would do: every input asks again, the address keeps what was asked.
document.documentElement.classList.add("scripted");
for (const form of document.querySelectorAll("form[data-live]")) {
  let timer = 0, running = null;
  const asked = () => {
    const quiet = new Set([...form.querySelectorAll("[data-quiet]")].map((field) => field.name));
    return new URLSearchParams([...new FormData(form)].filter(([name, value]) => value !== "" && !quiet.has(name)));
  };
  form.addEventListener("input", (event) => {
    if (event.target.matches("[data-quiet]")) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      running?.abort();
      running = new AbortController();
      const address = `${form.action}?${asked()}`;
      try {
        await refresh(address, form.dataset.live.split(" "), { signal: running.signal });
        history.replaceState(null, "", address);
      } catch (error) { if (error.name !== "AbortError") throw error; }
    }, 40);
  });
  // a slider moves its number from a hundredth of its price to a hundred times as much
  for (const slider of form.querySelectorAll("input[data-for]")) {
    const number = document.getElementById(slider.dataset.for), base = Number(slider.dataset.base);
    const told = () => slider.setAttribute("aria-valuetext", number.value);
    const place = () => { slider.value = Math.log10(Number(number.value.replace(",", ".")) / base); told(); };
    slider.hidden = false;
    slider.addEventListener("input", () => { number.value = Number((base * 10 ** slider.value).toPrecision(3)); told(); });
    number.addEventListener("input", place);
    place();
  }
}
