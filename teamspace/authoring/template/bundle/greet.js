/** Greets somebody through the plugin's route. */
export async function greet(name, token) {
  const answer = await fetch("/api/x/my-plugin/greetings", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });
  return (await answer.json()).text;
}
