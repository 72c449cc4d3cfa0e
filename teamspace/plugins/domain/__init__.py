"""Finding plugins, binding their routes, serving their files and reporting on them."""
